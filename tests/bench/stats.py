"""Medians and spreads, nothing else: means and minima hide what a shared machine does."""


def quantile(values, q):
    """Linear interpolation between the two nearest of the sorted values."""
    ordered = sorted(values)
    position = q * (len(ordered) - 1)
    low = int(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


class Spread:
    """Median, 5th and 95th percentile of a sample."""

    def __init__(self, values):
        self.count = len(values)
        self.p5, self.median, self.p95 = (quantile(values, q) for q in (0.05, 0.5, 0.95))

    def text(self, digits=2):
        return f"{self.median:.{digits}f} ({self.p5:.{digits}f}..{self.p95:.{digits}f})"
