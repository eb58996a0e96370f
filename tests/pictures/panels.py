"""Pictures of several panels, drawn by gnuplot: lines that bear their names, on logarithmic axes.

All that is looked at in a picture is placed here, gnuplot draws it. The colours are those of Okabe and Ito, which
people with any kind of colour vision tell apart (two a little darker, so that names can be read in them), and each line
has a mark of its own shape; where a page is dark the picture is, too.
"""
import math
import shutil
import subprocess
from dataclasses import dataclass

# (on a light page, on a dark one)
PAPER = ("#fffffe", "#15181d")
INK = ("#1f2328", "#e6e8eb")
FAINT = ("#59636e", "#a2abb5")
FRAME = ("#8c959f", "#6b7480")
GRID = ("#e1e5ea", "#2b3138")
BLUE = ("#0072b2", "#4fb0ea")
VERMILLION = ("#d55e00", "#ff8f45")
GREEN = ("#009e73", "#33c99c")
PURPLE = ("#b8578c", "#e39ac3")
SKY = ("#3d9bd6", "#8ccbf3")
GREY = ("#6e7781", "#9aa4af")

FONT = "Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"
DOT, SQUARE, UP, DOWN, DIAMOND = 7, 5, 9, 11, 13  # gnuplot's numbers

# In pixels.
WIDTH, HEAD, FOOT = 980, 74, 12  # of the picture; above and below all panels
ABOVE, BELOW, LEFT = 44, 58, 58  # around the axes of one panel
LINE = 15  # between two lines of text
LETTER = 6.7  # of an average width
LEAST_RATIO = 8  # of the ends of a logarithmic axis


@dataclass
class Line:
    name: str
    colour: tuple
    points: list  # (x, y), ascending
    mark: int = DOT
    dashed: bool = False
    bold: bool = False


@dataclass
class Panel:
    title: str
    lines: list
    note: str = ""  # what is not drawn, and why


@dataclass
class Axis:
    label: str
    ticks: list = None  # (value, text); None: round numbers
    base: int = 0  # of the logarithm; 0: linear


@dataclass
class Picture:
    title: str
    subtitle: str
    panels: list
    x: Axis
    y: Axis
    columns: int = 2
    panel_height: int = 310


# ---- where things are ----

def scale(axis, value):
    return math.log(value, axis.base) if axis.base else value


def limits(values, axis, room):
    """The range of @values and @room of it on both sides."""
    low, high = min(scale(axis, v) for v in values), max(scale(axis, v) for v in values)
    extra = room * ((high - low) or 1)
    ends = low - extra, high + extra
    return tuple(axis.base ** end for end in ends) if axis.base else ends


def y_limits(panel, axis):
    values = [y for line in panel.lines for _, y in line.points]
    if not axis.base:
        return 0, 1.08 * max(values)
    low, high = limits(values, axis, 0.08)
    widen = max(1, (LEAST_RATIO * low / high) ** 0.5)  # else it is noise that fills the panel
    return low / widen, high * widen


def decimal_ticks(low, high):
    """1, 2, 5, 10 and so on; only powers of ten, where there would be many."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    digits = (1, 2, 5) if last - first <= 3 else (1,)
    values = [digit * 10.0 ** power for power in range(first, last + 1) for digit in digits]
    return [(v, f"{v:,.10g}") for v in values if low <= v <= high]


def linear_ticks(low, high):
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    step *= next(k for k in (1, 2, 2.5, 5, 10) if (high - low) / (k * step) <= 6)
    return [(i * step, f"{i * step:,.10g}") for i in range(math.ceil(low / step), int(high / step) + 1)]


def ticks_of(axis, low, high):
    if axis.ticks is not None:
        return axis.ticks
    return decimal_ticks(low, high) if axis.base else linear_ticks(low, high)


def spread(wanted, low, high):
    """Heights as near to those @wanted as lines of text allow, between @low and @high; in their order."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Those that would overlap are one block, in the middle of what they want.
    blocks = []
    for i in order:
        blocks.append([[i], wanted[i]])
        while len(blocks) > 1:
            (upper, above), (lower, below) = blocks[-2:]
            if below - above >= LINE * (len(upper) + len(lower)) / 2:
                break
            both = upper + lower
            blocks[-2:] = [[both, (above * len(upper) + below * len(lower)) / len(both)]]
        half = LINE * (len(blocks[-1][0]) - 1) / 2
        blocks[-1][1] = min(max(blocks[-1][1], low + half), high - half)
    placed = {}
    for members, middle in blocks:
        for k, i in enumerate(members):
            placed[i] = middle + LINE * (k - (len(members) - 1) / 2)
    return [placed[i] for i in range(len(wanted))]


# ---- gnuplot's words ----

def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Script:
    """A script whose coordinates are pixels from the top left."""

    def __init__(self, width, height):
        self.width, self.height, self.text, self.labels = width, height, [], 0

    def add(self, *lines):
        self.text += lines

    def at(self, x, y):
        return f"screen {x / self.width:.5f},{1 - y / self.height:.5f}"

    def label(self, x, y, text, colour, size=13, align="left"):
        if not text:
            return
        self.labels += 1
        self.add(f"set label {self.labels} {quoted(text)} at {self.at(x, y)} {align} "
                 f'textcolor rgb "{colour[0]}" font ",{size}"')

    def clear_labels(self):
        self.add("unset label")
        self.labels = 0


def begin(picture, script, path):
    script.add(f'set terminal svg noenhanced size {script.width},{script.height} font "{FONT},13" '
               f'background "{PAPER[0]}"',
               f"set output {quoted(path)}", "set multiplot", "unset key",
               f'set border 3 linecolor rgb "{FRAME[0]}"', f'set grid linetype 1 linecolor rgb "{GRID[0]}"')
    script.label(LEFT - 42, 24, picture.title, INK, 19)
    script.label(LEFT - 42, 48, picture.subtitle, FAINT, 13)


def place(axis, ends, pixels):
    """A function that gives the pixel of a value of @axis, whose ends are @ends."""
    low, high = (scale(axis, end) for end in ends)
    return lambda value: pixels[0] + (scale(axis, value) - low) / (high - low) * (pixels[1] - pixels[0])


def draw_axes(picture, panel, script, box):
    left, right, top, bottom = box
    low, high = y_limits(panel, picture.y)
    xs = [x for p in picture.panels for line in p.lines for x, _ in line.points]
    x_low, x_high = limits(xs, picture.x, 0.05)
    script.add("set lmargin at screen %.5f" % (left / script.width), "set rmargin at screen %.5f" % (right / script.width),
               "set tmargin at screen %.5f" % (1 - top / script.height),
               "set bmargin at screen %.5f" % (1 - bottom / script.height))
    for name, axis, ends in (("x", picture.x, (x_low, x_high)), ("y", picture.y, (low, high))):
        marks = ", ".join(f"{quoted(text)} {value:.10g}" for value, text in ticks_of(axis, *ends))
        script.add(f"set logscale {name} {axis.base}" if axis.base else f"unset logscale {name}",
                   f"set {name}range [{ends[0]:.10g}:{ends[1]:.10g}]",
                   f'set {name}tics nomirror scale 0.4 ({marks}) textcolor rgb "{FAINT[0]}"')
    script.label(left, top - 29, panel.title, INK, 15)
    script.label(left, top - 12, panel.note, FAINT, 12)
    script.label(left - 9, top - 12, picture.y.label, FAINT, 12, "right")
    script.label(right, bottom + 36, picture.x.label, FAINT, 12, "right")
    return (place(picture.x, (x_low, x_high), (left, right)), place(picture.y, (low, high), (bottom, top)))


def draw_lines(panel, script):
    plots = []
    for i, line in enumerate(panel.lines):
        script.add(f"$d{i} << END", *(f"{x} {y}" for x, y in line.points), "END")
        plots.append(f'$d{i} using 1:2 with linespoints linecolor rgb "{line.colour[0]}" '
                     f"linewidth {2.6 if line.bold else 1.7} pointtype {line.mark} pointsize 0.65"
                     + (" dashtype (8,5)" if line.dashed else ""))
    script.add("plot " + ", ".join(plots) if plots else "plot NaN")


def name_lines(panel, script, box, pixel_of):
    _, _, top, bottom = box
    x_of, y_of = pixel_of
    ends = [y_of(line.points[-1][1]) for line in panel.lines]
    for line, y in zip(panel.lines, spread(ends, top, bottom)):
        script.label(x_of(line.points[-1][0]) + 10, y, line.name, line.colour, 12.5)


def draw_panel(picture, panel, script, box):
    name_lines(panel, script, box, draw_axes(picture, panel, script, box))
    draw_lines(panel, script)


def boxes(picture, width):
    """(left, right, top, bottom) of each panel's axes."""
    names = [line.name for panel in picture.panels for line in panel.lines]
    beside = 8 + LETTER * max(map(len, names))
    across = (width - FOOT) / picture.columns
    for i in range(len(picture.panels)):
        x, y = i % picture.columns * across, HEAD + i // picture.columns * picture.panel_height
        yield x + LEFT, x + across - beside, y + ABOVE, y + picture.panel_height - BELOW


# ---- dark pages ----

def spellings(colour):
    """How gnuplot writes it: of texts, of lines, of the paper."""
    red, green, blue = (int(colour[i:i + 2], 16) for i in (1, 3, 5))
    return f"rgb({red},{green},{blue})", f"rgb({red:3}, {green:3}, {blue:3})", colour


def dark_style():
    rules = []
    for light, dark in (PAPER, INK, FAINT, FRAME, GRID, BLUE, VERMILLION, GREEN, PURPLE, SKY, GREY):
        for spelling in spellings(light):
            rules += [f'[{name}="{spelling}"]{{{name}:{dark}}}' for name in ("fill", "stroke", "color")]
    return "<style>@media (prefers-color-scheme:dark){" + "".join(rules) + "}</style>"


def finish(picture, path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    title = picture.title.replace("&", "&amp;").replace("<", "&lt;")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("<title>Gnuplot</title>", f"<title>{title}</title>\n{dark_style()}", 1))


# ---- all of it ----

def can_draw():
    return shutil.which("gnuplot") is not None


def draw(picture, path):
    """Writes the SVG file @path."""
    rows = math.ceil(len(picture.panels) / picture.columns)
    script = Script(WIDTH, HEAD + rows * picture.panel_height + FOOT)
    begin(picture, script, path)
    for panel, box in zip(picture.panels, boxes(picture, WIDTH)):
        draw_panel(picture, panel, script, box)
        script.clear_labels()  # gnuplot draws those that there are with each panel: the title with the first
    script.add("unset multiplot")
    subprocess.run(["gnuplot"], input="\n".join(script.text) + "\n", text=True, check=True, timeout=60)
    finish(picture, path)
