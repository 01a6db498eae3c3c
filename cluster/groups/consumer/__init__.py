"""Groups whose coordinator divides the partitions, with one request, ConsumerGroupHeartbeat. Source: KIP-848."""
