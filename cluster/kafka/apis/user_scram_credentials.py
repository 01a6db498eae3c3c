"""DescribeUserScramCredentials, AlterUserScramCredentials: a cluster has no users of SCRAM, and takes none.

Sources: KIP-554; Kafka ScramImage.describe, ScramControlManager.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, blob, int8, int16, int32, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode

NO_SCRAM = "SCRAM is not built: of SASL a run has PLAIN, with --client-auth."
_TWICE = ErrorCode.DUPLICATE_RESOURCE, "A user is named twice."
_UNKNOWN = ErrorCode.RESOURCE_NOT_FOUND, "There is no user of this name."


@dataclass(slots=True)
class UserName:
    """Whom a question is about."""

    name: str = string()


@dataclass(slots=True)
class DescribeUserScramCredentialsRequest:
    """How do these users prove who they are? All when there are none."""

    users: list[UserName] | None = array(UserName, null="0+")


@dataclass(slots=True)
class CredentialInfo:
    """One way in which a user proves it."""

    mechanism: int = int8()
    iterations: int = int32()


@dataclass(slots=True)
class DescribeUserScramCredentialsResult:
    """What is known of one user."""

    user: str = string()
    error_code: int = int16()
    error_message: str | None = string(null="0+")
    credential_infos: list[CredentialInfo] = array(CredentialInfo)


@dataclass(slots=True)
class DescribeUserScramCredentialsResponse:
    """What is known of each that was named; of all, in no order, when none was."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    results: list[DescribeUserScramCredentialsResult] = array(DescribeUserScramCredentialsResult)


def describe_users(request: Request, _view: BrokerView) -> DescribeUserScramCredentialsResponse:
    """There are none. Who is named twice is told of once, as in Kafka."""
    times = Counter(user.name for user in request.message.users or ())
    return DescribeUserScramCredentialsResponse(
        results=[
            DescribeUserScramCredentialsResult(name, *(_TWICE if count > 1 else _UNKNOWN))
            for name, count in times.items()
        ]
    )


DESCRIBE_USER_SCRAM_CREDENTIALS: Final = Api(
    50,
    DescribeUserScramCredentialsRequest,
    DescribeUserScramCredentialsResponse,
    Known.by(describe_users),
    versions="0",
    flexible="0+",
)


@dataclass(slots=True)
class ScramCredentialDeletion:
    """One credential to remove."""

    name: str = string()
    mechanism: int = int8()


@dataclass(slots=True)
class ScramCredentialUpsertion:
    """One credential to add or to change."""

    name: str = string()
    mechanism: int = int8()
    iterations: int = int32()
    salt: bytes = blob()
    salted_password: bytes = blob()


@dataclass(slots=True)
class AlterUserScramCredentialsRequest:
    """Remove and add these."""

    deletions: list[ScramCredentialDeletion] = array(ScramCredentialDeletion)
    upsertions: list[ScramCredentialUpsertion] = array(ScramCredentialUpsertion)


@dataclass(slots=True)
class AlterUserScramCredentialsResult:
    """What became of one user."""

    user: str = string()
    error_code: int = int16()
    error_message: str | None = string(null="0+")


@dataclass(slots=True)
class AlterUserScramCredentialsResponse:
    """What became of each user."""

    throttle_time_ms: int = int32()
    results: list[AlterUserScramCredentialsResult] = array(AlterUserScramCredentialsResult)


def alter_users(request: Request, _view: BrokerView) -> AlterUserScramCredentialsResponse:
    """None is added, and there is none to remove."""
    message = request.message
    refused = {each.name: (ErrorCode.UNSUPPORTED_SASL_MECHANISM, NO_SCRAM) for each in message.upsertions}
    refused |= {each.name: _UNKNOWN for each in message.deletions}
    return AlterUserScramCredentialsResponse(
        results=[AlterUserScramCredentialsResult(name, *why) for name, why in refused.items()]
    )


ALTER_USER_SCRAM_CREDENTIALS: Final = Api(
    51,
    AlterUserScramCredentialsRequest,
    AlterUserScramCredentialsResponse,
    Known.by(alter_users),
    versions="0",
    flexible="0+",
)
