"""One broker's replicas of data partitions: leading, following, the ISR and the high watermark."""
