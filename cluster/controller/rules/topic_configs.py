"""The rules about settings of topics: which may be changed, and what follows for min.insync.replicas."""

from __future__ import annotations

from cluster.controller.described_configs import own_settings
from cluster.controller.image import MetadataImage, TopicState
from cluster.model.errors import ErrorCode
from cluster.model.messages import AlterConfigsRequest
from cluster.model.messages.configs import APPEND, DELETE, SET, SUBTRACT, TOPIC
from cluster.model.ruling import Numbers, Ruling, error_or_none, rule
from cluster.model.setting_definition import Kind, elements
from cluster.model.topic_settings import COMMIT_RULE, SETTABLE, why_not


@rule(source="KIP-339", kafka="ConfigurationControlManager.incrementalAlterConfigs")
def alter_configs(image: MetadataImage, request: AlterConfigsRequest) -> Ruling[ErrorCode]:
    """Settings of a topic are changed all or none: each has to be known, and each value has to fit.

    The first change that may not be made names the error.
    """
    return error_or_none(*_judge(image, request))


@rule(source="KIP-966", kafka="ReplicationControlManager.getTopicEffectiveMinIsr")
def effective_min_insync_replicas(configured: int, replication_factor: int, before: int = 0) -> Ruling[int]:
    """A partition asks for as many in-sync replicas as its topic is set to, but never for more than it has.

    Args:
        before: what the partition asked for until now; 0 for a new one.
    """
    effective = min(configured, replication_factor)
    numbers: Numbers = {"before": before, "after": effective, "replication_factor": replication_factor}
    return Ruling(effective, True, "as configured, but no more than there are replicas", numbers)


def wanted_settings(topic: TopicState, request: AlterConfigsRequest) -> dict[str, str]:
    """All that the topic is to have of its own afterwards."""
    own = {} if request.replaces else own_settings(topic)
    for name, operation, value in request.changes:
        if operation == DELETE:
            own.pop(name, None)
        elif operation == SET:
            own[name] = value or ""
        else:
            has = elements(own.get(name, SETTABLE[name].default))
            given = elements(value or "")
            kept = [each for each in has if operation == APPEND or each not in given]
            more = [each for each in given if operation == APPEND and each not in has]
            own[name] = ",".join([*kept, *more])
    return own


def _judge(image: MetadataImage, request: AlterConfigsRequest) -> tuple[ErrorCode, str]:
    """As Kafka's ConfigAdminManager.preprocess and ControllerConfigurationValidator do."""
    if request.resource_type != TOPIC:
        return ErrorCode.INVALID_REQUEST, "only settings of topics can be changed while brokers run"
    names = [name for name, _, _ in request.changes]
    if len(set(names)) != len(names):
        return ErrorCode.INVALID_REQUEST, "a setting is named twice"
    for name, operation, value in request.changes:
        if operation not in (SET, DELETE, APPEND, SUBTRACT):
            return ErrorCode.INVALID_REQUEST, f"there is no operation {operation}"
        if operation != DELETE and value is None:
            return ErrorCode.INVALID_REQUEST, f"{name} needs a value"
    topic = image.topics.get(request.resource_name)
    if topic is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "no such topic"
    for name, operation, _ in request.changes:
        setting = SETTABLE.get(name)
        if setting is None:
            return ErrorCode.INVALID_CONFIG, why_not({name: ""})
        if operation in (APPEND, SUBTRACT) and setting.kind is not Kind.LIST:
            return ErrorCode.INVALID_CONFIG, f"{name} is no list"
    wanted = wanted_settings(topic, request)
    if reason := why_not(wanted):
        return ErrorCode.INVALID_CONFIG, reason
    if wanted.get(COMMIT_RULE) != own_settings(topic).get(COMMIT_RULE):
        reason = f"{COMMIT_RULE} is chosen when a topic is made: the other rule may lose what this one committed"
        return ErrorCode.INVALID_CONFIG, reason
    return ErrorCode.NONE, "the setting is known and the value fits"
