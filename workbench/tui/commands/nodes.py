"""Commands on the cluster: faults on the selected node or link, records, and whatever is typed."""

from __future__ import annotations

from workbench.session.views.cluster import disk_word
from workbench.telling.words import node_name
from workbench.tui.answer import info, warn
from workbench.tui.commands.context import Group, Said, command
from workbench.tui.input.keys import LAB


class NodeCommands(Group):
    """Each sends one command of the cluster, or opens the command bar with one to complete."""

    @command
    def type(self, text: str) -> Said:
        """Open the command bar."""
        return self.context.open_bar(text)

    @command
    def send(self, text: str) -> Said:
        """Send a command; the answer comes on the answer row."""
        if text == "heal":
            self.ui.marked = 0
        return self.context.send(text)

    @command
    def no_suspend(self) -> Said:
        """A cluster and its screen go on together."""
        ways = "{view.pause} holds the view, {quit} leaves"
        stays = "" if self.ui.kind != LAB or self.ui.seed is not None else ", and then y leaves the cluster running"
        why = "the screen cannot wait in the background, the cluster runs on"
        return warn(self.ui.keyboard.said(f"{why}: {ways}{stays}"))

    @command
    def disk(self) -> Said:
        """The disk commands, with the selected node filled in."""
        node = self.ui.recording.live.nodes.get(self.ui.node)
        trouble = disk_word(node) if node is not None else ""
        if trouble:
            return self.type(f"{'disk-ok' if trouble in ('FULL', 'MISREADS') else 'fsync ok'} {self.ui.node}")
        return self.type(f"fsync lie {self.ui.node}" if self.ui.node else "fsync ")

    @command
    def client_fault(self) -> Said:
        """What may stand between a broker and its Kafka clients, with the selected node filled in."""
        live, node_id = self.ui.recording.live, self.ui.node
        node = live.nodes.get(node_id)
        if node is not None and "broker" not in node.roles:
            return warn(f"no Kafka client talks to {node_name(node_id)}: choose a broker")
        if node is not None and live.client_fault(node_id):
            return self.type(f"client ok {node_id}")
        return self.type(f"client drop-responses {node_id} 50%" if node_id else "client ")

    @command
    def freeze(self) -> Said:
        """Freeze or thaw all nodes."""
        return self.send("thaw" if self.ui.recording.live.is_frozen else "freeze")

    @command
    def node(self, verb: str) -> Said:
        """A fault on the selected node; without one the command bar asks which."""
        node_id = self.ui.node
        if not node_id:
            return self.type(f"{verb} ")
        node = self.ui.recording.live.nodes.get(node_id)
        if verb == "pause" and node is not None and node.process == "paused":
            verb = "resume"
        return self.context.send(f"{verb} {node_id}")

    @command
    def mark_node(self) -> Said:
        """One end of a link; the selected node is the other."""
        ui, refusal = self.ui, self.context.refusal()
        if refusal is not None:
            return refusal
        if not ui.node:
            return warn(ui.keyboard.said(f"select a node first: {ui.how_to_select}"))
        ui.marked = 0 if ui.marked == ui.node else ui.node
        if not ui.marked:
            return None
        then = ui.keyboard.said("{net.cut.one} {net.cut.both} or {net.delay}")
        return info(f"link from {node_name(ui.marked)}: select the other node, then {then}")

    @command
    def link(self, sign: str) -> Said:
        """Cut the selected link one way (>) or both ways (-); heal it when it is cut so already."""
        wrong = self._no_link()
        if wrong is not None:
            return wrong
        one, other = self.ui.marked, self.ui.node
        ways = {(one, other), (other, one)} if sign == "-" else {(one, other)}
        faults = self.ui.recording.live.faults.values()
        fault = next((item for item in faults if item.kind == "Cut" and set(item.links) == ways), None)
        return self.send(f"cut {one}{sign}{other}" if fault is None else f"heal {fault.fault_id}")

    @command
    def delay(self) -> Said:
        """Delay the selected link, after a look at the command."""
        return self._no_link() or self.type(f"delay {self.ui.marked}-{self.ui.node} 50ms")

    def _no_link(self) -> Said:
        ui, refusal = self.ui, self.context.refusal()
        if refusal is None and (not ui.marked or not ui.node or ui.marked == ui.node):
            return warn(ui.keyboard.said("a link has two ends: {net.mark} marks one node, then select another"))
        return refusal

    @command
    def write(self) -> Said:
        """One record to the shown partition."""
        tp = self.ui.partition
        if tp is None:
            return self.type("topic orders replicas=3 min-isr=2")
        return self.send(f"produce {tp} 1 acks=all")
