// A figure that was drawn while its tab was hidden has a width of its own: draw it anew once it shows.
(() => {
  "use strict";
  const fit = new ResizeObserver((entries) => {
    const off = entries.some(({ target, contentRect }) => {
      const drawn = target.querySelector(".js-plotly-plot .main-svg");
      return contentRect.width && drawn && Math.abs(drawn.clientWidth - contentRect.width) > 1;
    });
    if (off) dispatchEvent(new Event("resize"));
  });
  new MutationObserver(() => document.querySelectorAll(".chart").forEach((c) => fit.observe(c)))
    .observe(document.documentElement, { subtree: true, childList: true });
})();
