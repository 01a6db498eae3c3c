"""The controller quorum: KRaft's Raft, told things and answering with things to do. Source: KIP-595, KIP-996."""
