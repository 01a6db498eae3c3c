"""What the active controller decides, and how a broker lives under it. Source: KIP-631, KIP-841, KIP-966."""
