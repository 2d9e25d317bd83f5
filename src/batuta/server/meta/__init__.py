"""What anybody may know about this platform, and how it fares."""
