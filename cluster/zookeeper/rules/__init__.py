"""The rules of ZooKeeper's era."""
