"""What tests share: worlds, traces, clients, processes, screens, planted bugs."""
