"""Lines of the report, of at most 80 columns and without trailing blanks."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from ratproof.process.streams import WIDTH


def fitted(line: Text) -> Text:
    """Return the line, cut to the maximum width with three dots at its end."""
    if len(line) > WIDTH:
        line.truncate(WIDTH - 3)
        line.append("...")
    return line


def print_command(out: Console, command: str, arguments: str) -> None:
    """Print a command to paste; if it is long, print its arguments on a continuation line."""
    one_line = f"{command} {arguments}"
    lines = [one_line] if len(one_line) + 2 <= WIDTH else [f"{command} \\", f"    {arguments}"]
    for line in lines:
        out.print(Text(f"  {line}", style="dim"), soft_wrap=True)


def print_paragraph(out: Console, text: str, by: int = 0, style: str = "") -> None:
    """Print a text, wrapped and indented by ``by`` columns."""
    for line in Text(text, style=style).wrap(out, min(out.width, WIDTH) - by):
        indented = Text(" " * by).append_text(line)
        indented.rstrip()
        out.print(indented)
