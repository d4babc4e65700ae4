"""The figure class of plots. Imported by those alone, since it needs matplotlib."""

import io

from matplotlib.figure import Figure


class Picture(Figure):
    """A figure that a notebook shows, whether or not pyplot has been set up there."""

    def _repr_png_(self):
        png = io.BytesIO()
        self.savefig(png, format="png")
        return png.getvalue()
