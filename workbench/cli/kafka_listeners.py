"""What Kafka checks of a node's listeners before it starts: their form, names, protocols, ports, and whose they are.

Source: Kafka 4.1 KafkaConfig.validateValues, SocketServerConfigs.listenerListToEndPoints,
AbstractKafkaConfig.effectiveListenerSecurityProtocolMap; each answer was compared with StorageTool's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address

from workbench.cli.properties_file import Mistake, Values
from workbench.support.safe_text import safe_text

LISTENERS, ADVERTISED, PROTOCOLS = "listeners", "advertised.listeners", "listener.security.protocol.map"
NAMES, INTER_BROKER, EARLY = "controller.listener.names", "inter.broker.listener.name", "early.start.listeners"
INTER_PROTOCOL, INTER_SASL = "security.inter.broker.protocol", "sasl.mechanism.inter.broker.protocol"
MECHANISMS = "sasl.enabled.mechanisms"
SETTINGS = (LISTENERS, ADVERTISED, PROTOCOLS, NAMES, INTER_BROKER, EARLY, INTER_PROTOCOL, INTER_SASL, MECHANISMS)
PLAINTEXT, *SAFE = KNOWN_PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
PORT_MAX = 65_535
NOWHERE = "0.0.0.0"  # noqa: S104
_ENDPOINT = re.compile(r"(.*)://\[?([0-9a-zA-Z\-%._:]*)\]?:(-?[0-9]+)")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One listener, as Kafka reads it."""

    name: str
    """In capital letters."""
    host: str
    """Empty for every address of the machine."""
    port: int

    @property
    def family(self) -> type[IPv4Address | IPv6Address] | None:
        """None for a name."""
        try:
            return type(ip_address(self.host))
        except ValueError:
            return None


class Node:
    """The listeners of one file of settings, and `mistakes` in them, in the order in which Kafka checks."""

    def __init__(self, values: Values, roles: list[str]) -> None:
        self._values = values
        self._roles = roles
        self._names = [name for name in self._text(NAMES).split(",") if name]
        """Of the listeners for controllers; as they are written, since Kafka compares them so."""
        self.mistakes: list[Mistake] = []
        if not self._names:
            self._add(NAMES, " is missing: brokers and controllers find the controllers by it")
            return
        self._protocols = self._read_protocols()
        if self.mistakes:
            return
        self._here = self._read(LISTENERS, f"{PLAINTEXT}://:9092")
        self._advertised = self._read(ADVERTISED) if ADVERTISED in values else self._here
        self._own = [each.name for each in self._here]
        looks = self._look_at_ports, self._look_at_controllers, self._look_at_advertised, self._look_between_brokers
        for look in looks:
            if not self.mistakes:  # else the next ones would follow from these
                look()

    def _text(self, setting: str, default: str = "") -> str:
        return self._values.get(setting, (0, default))[1]

    def _items(self, setting: str, default: str = "") -> list[str]:
        return [each.strip() for each in self._text(setting, default).split(",") if each.strip()]

    def _add(self, setting: str, text: str) -> None:
        self.mistakes.append(Mistake(self._values.get(setting, (0, ""))[0], f"{setting}{text}"))

    def _read_protocols(self) -> dict[str, str]:
        """The protocol of each listener's name. Without a map those of controllers are plain, if none is safe."""
        if PROTOCOLS not in self._values:
            used = {each.partition(":")[0].upper() for each in self._items(LISTENERS)} | set(self._names)
            plain = set() if used & set(SAFE) else set(self._names)
            for name in sorted(plain - {PLAINTEXT}):
                if self._names.count(name) > 1:
                    self._add(NAMES, f": {_shown(name)} stands there twice")
            return dict(zip(KNOWN_PROTOCOLS, KNOWN_PROTOCOLS, strict=True)) | dict.fromkeys(plain, PLAINTEXT)
        protocols = {}
        for item in self._items(PROTOCOLS):
            name, colon, protocol = (part.strip().upper() for part in item.rpartition(":"))
            if not colon or protocol not in KNOWN_PROTOCOLS:
                self._add(PROTOCOLS, f": '{_shown(item)}' is not NAME:PROTOCOL, one of {', '.join(KNOWN_PROTOCOLS)}")
            protocols[name] = protocol
        return protocols

    def _read(self, setting: str, default: str = "") -> list[Endpoint]:
        """The listeners that one setting names."""
        read: list[Endpoint] = []
        for item in self._items(setting, default):
            match = _ENDPOINT.fullmatch(item)
            if match is None or not match[1].strip():
                self._add(setting, f": '{_shown(item)}' is not NAME://host:port")
                continue
            each = Endpoint(match[1].upper(), match[2], int(match[3][:6]))
            if not 0 <= each.port <= PORT_MAX:
                self._add(setting, f": '{_shown(item)}': a port is a number from 0 to {PORT_MAX}")
            elif each.name not in self._protocols:
                self._add(setting, f": listener {_shown(each.name)}{self._no_protocol()}")
            elif each.name in (other.name for other in read):
                self._add(setting, f": listener {_shown(each.name)} stands there twice")
            read.append(each)
        return read

    def _no_protocol(self) -> str:
        why = "" if PROTOCOLS in self._values else "; there is no default for this name, or beside SSL and SASL"
        return f" has no protocol in {PROTOCOLS}{why}"

    def _look_at_ports(self) -> None:
        """Two listeners share a port only as one address of IPv4 and one of IPv6."""
        at: dict[int, list[Endpoint]] = defaultdict(list)
        for each in self._here:
            at[each.port].append(each)
        for port, same in sorted(at.items()):
            pair = sorted(str(each.family) for each in same) == sorted(map(str, (IPv4Address, IPv6Address)))
            if port and len(same) > 1 and not pair:
                self._add(LISTENERS, f": {' and '.join(_shown(each.name) for each in same)} have one port, {port}")

    def _look_at_controllers(self) -> None:
        if "controller" not in self._roles:
            for name in self._names:
                if name.upper() not in self._protocols:
                    self._add(NAMES, f": listener {_shown(name)}{self._no_protocol()}")
            if set(self._names) & set(self._own):
                self._add(LISTENERS, f": a broker alone opens no listener of {NAMES}")
            return
        for name in self._names:
            if name not in self._own:
                hint = "; Kafka compares it in capital letters, without spaces" if name.strip().upper() != name else ""
                self._add(LISTENERS, f": no listener {_shown(name)}, which {NAMES} promises{hint}")
        for name in self._own:
            if self._roles == ["controller"] and name not in self._names and not self.mistakes:
                self._add(LISTENERS, f": a controller alone opens those of {NAMES} only, and not {_shown(name)}")

    def _for_clients(self) -> Iterator[Endpoint]:
        return (each for each in self._advertised if each.name not in self._names)

    def _look_at_advertised(self) -> None:
        """A controller's own listener may be bound to 0.0.0.0: the name of its machine is advertised then."""
        setting = ADVERTISED if ADVERTISED in self._values else LISTENERS
        for each in self._advertised if setting == ADVERTISED else self._for_clients():
            if each.host == NOWHERE:
                self._add(setting, f": nobody reaches {_shown(each.name)} at {NOWHERE}; name a host in {ADVERTISED}")
        if "broker" in self._roles:
            if not list(self._for_clients()):
                self._add(setting, f": no listener for clients; all of them are named by {NAMES}")
            for each in self._for_clients():
                if each.name not in self._own:
                    self._add(ADVERTISED, f": listener {_shown(each.name)} is not among {LISTENERS}")

    def _look_between_brokers(self) -> None:
        """The listener that brokers use among themselves."""
        by_name = INTER_BROKER in self._values
        if by_name and INTER_PROTOCOL in self._values:
            self._add(INTER_BROKER, f": {INTER_PROTOCOL} stands there too, and only one of the two may")
            return
        setting = INTER_BROKER if by_name else INTER_PROTOCOL
        name = self._text(setting, PLAINTEXT).upper()
        clients = [each.name for each in self._for_clients()]
        if by_name and name not in self._protocols:
            self._add(setting, f": listener '{_shown(name)}'{self._no_protocol()}")
        elif name in self._names and (by_name or "broker" in self._roles):
            self._add(setting, f": {_shown(name)} is for controllers alone")
        elif "broker" in self._roles and clients and name not in clients:
            default = "" if setting in self._values else f" is missing ({INTER_BROKER} too)"
            self._add(setting, f"{default}: no listener {_shown(name)} is there for the other brokers")
        protocol = self._protocols.get(name, "") if by_name else name
        own = f"listener.name.{name.lower()}.{MECHANISMS}"
        mechanism = self._text(INTER_SASL, "GSSAPI")
        enabled = self._items(own if own in self._values else MECHANISMS, "GSSAPI")
        if protocol.startswith("SASL") and mechanism not in enabled:
            self._add(INTER_SASL, f": {_shown(mechanism)} is not among {MECHANISMS}")
        for early in self._items(EARLY):
            if early.upper() not in self._own:
                self._add(EARLY, f": listener {_shown(early)} is not among {LISTENERS}")


def _shown(text: str) -> str:
    return safe_text(text, 60)


def listener_mistakes(values: Values, roles: list[str]) -> list[Mistake]:
    """What Kafka refuses. Nothing is said where somebody else puts a value in, or of roles that there are not."""
    unclear = any("${" in values[name][1] for name in SETTINGS if name in values)
    is_known = sorted(roles) in (["broker"], ["controller"], ["broker", "controller"])
    return Node(values, roles).mistakes if is_known and not unclear else []
