"""Groups whose members divide the partitions: JoinGroup, SyncGroup, Heartbeat, LeaveGroup. Source: GroupCoordinator."""
