"""Figures of fits and posteriors; matplotlib is optional."""

import numpy

_most = 6


def _figure(rows, columns, width, height, **options):
    try:
        from lockstep.xpcs._picture import Picture
    except ImportError:
        raise ImportError("matplotlib is not installed: pip install matplotlib") from None
    figure = Picture(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def _off_diagonal(matrix):
    return matrix[~numpy.eye(len(matrix), dtype=bool)]


def fit(result, angles=None):
    data, sigma = result.dataset, result.sigma
    chosen = list(range(min(data.angles, _most))) if angles is None else list(angles)
    end = [data.t[0], data.t[-1]] * 2
    figure, axes = _figure(3, len(chosen), 1.6 + 2.6 * len(chosen), 7.2, sharex=True, sharey=True)
    measured, model = data.c2, result.fitted
    residuals = (measured - model) / sigma[:, None, None]
    diagonal = numpy.arange(data.frames)
    residuals[:, diagonal, diagonal] = numpy.nan  # photons, which no model has
    low, high = numpy.nanpercentile(
        numpy.concatenate([_off_diagonal(measured[k]) for k in chosen]), [0.5, 99.5])
    rows = (("measured", measured, "viridis", low, high), ("fitted", model, "viridis", low, high),
            ("residual / σ", residuals, "RdBu_r", -4, 4))
    for row, (title, values, colours, least, most) in enumerate(rows):
        for column, k in enumerate(chosen):
            image = axes[row, column].imshow(values[k], origin="lower", extent=end, cmap=colours,
                                             vmin=least, vmax=most)
        axes[row, 0].set_ylabel(f"{title}\n$t_2$ [s]")
        figure.colorbar(image, ax=axes[row], label="$c_2$" if row < 2 else "", shrink=0.9)
    for column, k in enumerate(chosen):
        axes[0, column].set_title(f"φ = {data.phi[k]:g}°")
        axes[2, column].set_xlabel("$t_1$ [s]")
    return figure


def _names(posterior, names, most):
    chosen = list(posterior.fit.physical) if names is None else list(names)
    chosen = [name for name in chosen if name in posterior.names] if names is None else chosen
    for name in chosen:
        if name not in posterior.names:
            raise ValueError(f"there is no {name!r} among {', '.join(posterior.names)}")
    return chosen[:most]


def _density(draws, points=200):
    """(places, density) of a normal kernel of Silverman's width."""
    spread = min(numpy.std(draws), (numpy.subtract(*numpy.percentile(draws, [75, 25]))) / 1.34)
    width = 0.9 * (spread or 1) * len(draws) ** -0.2
    edges = numpy.linspace(draws.min() - 3 * width, draws.max() + 3 * width, points + 1)
    counts, _ = numpy.histogram(draws, edges, density=True)
    middle = (edges[1:] + edges[:-1]) / 2
    step = middle[1] - middle[0]
    reach = numpy.arange(-points, points + 1) * step
    kernel = numpy.exp(-0.5 * (reach / width) ** 2)
    return middle, numpy.convolve(counts, kernel / kernel.sum(), "same")[
        points // 2:points // 2 + points] if len(kernel) > points else counts


def trace(posterior, names=None):
    chosen = _names(posterior, names, None)
    figure, axes = _figure(len(chosen), 2, 9, 1.6 * len(chosen) + 0.4)
    for (left, right), name in zip(axes, chosen):
        for draws in posterior[name]:
            left.plot(*_density(draws), linewidth=1)
            right.plot(draws, linewidth=0.4)
        left.set_title(name, fontsize="medium")
        left.set_yticks([])
        left.locator_params(axis="x", nbins=5)
        right.set_title(name, fontsize="medium")
    axes[-1, 1].set_xlabel("draw")
    return figure


def pair(posterior, names=None):
    chosen = _names(posterior, names, 8)
    size = len(chosen)
    figure, axes = _figure(size, size, 1.7 * size + 0.6, 1.7 * size + 0.6, sharex="col")
    for row, y in enumerate(chosen):
        for column, x in enumerate(chosen):
            axis = axes[row, column]
            if column > row:
                axis.axis("off")
            elif column == row:
                axis.hist(posterior[x].ravel(), bins=40, color="C0")
                axis.set_yticks([])
            else:
                axis.plot(posterior[x].ravel(), posterior[y].ravel(), ",", alpha=0.4)
                if column:
                    axis.set_yticklabels([])
            if row == size - 1:
                axis.set_xlabel(x)
                axis.tick_params(axis="x", rotation=45)
            if column == 0 and row:
                axis.set_ylabel(y)
    return figure
