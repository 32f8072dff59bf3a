// Times in the reader's zone, charts, and pages that follow a run. Everything works without it.
"use strict";

for (const element of document.querySelectorAll("time[datetime]")) {
  const epoch = element.dataset.epoch;
  const moment = epoch ? new Date(Number(epoch) * 1000) : new Date(element.dateTime);
  if (!Number.isNaN(moment.getTime())) {
    element.title = moment.toISOString();
    element.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" });
  }
}

const PALETTE = ["#3f8f87", "#b5651d", "#5b6abf", "#a23b72", "#6b8e23", "#7d5ba6", "#2f7fb5", "#8c6d31"];

function draw(figure) {
  const { labels, series, unit } = JSON.parse(figure.dataset.chart);
  const target = figure.querySelector(".plot");
  if (labels.length < 2) {
    target.textContent = labels.length ? "One point so far; see the numbers." : "Nothing yet.";
    return;
  }
  const ink = getComputedStyle(document.body).color;
  const axis = { stroke: ink, grid: { stroke: "rgba(128,128,128,.25)" } };
  const format = (_, value) => (value === null || value === undefined ? "–" : `${+value.toPrecision(4)} ${unit}`);
  const options = {
    width: target.clientWidth,
    height: 180,
    scales: { x: { time: true } },
    axes: [axis, { ...axis, size: 60 }],
    series: [{}, ...series.map((line, at) => ({
      label: line.name, stroke: PALETTE[at % PALETTE.length], width: 2, points: { show: labels.length < 60 },
      spanGaps: true, value: format,
    }))],
  };
  const plot = new uPlot(options, [labels, ...series.map((line) => line.values)], target);
  new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: 180 })).observe(target);
}

for (const figure of document.querySelectorAll("[data-chart]")) draw(figure);

// A page that says how soon it will be out of date loads its main part again.
const follow = document.querySelector("[data-follow-ms]");
if (follow) {
  setTimeout(() => location.reload(), Number(follow.dataset.followMs));
}

for (const form of document.querySelectorAll("form[data-confirm]")) {
  form.addEventListener("submit", (event) => {
    if (!confirm(form.dataset.confirm)) event.preventDefault();
  });
}
