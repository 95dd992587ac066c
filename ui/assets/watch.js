// Watching: what is shown follows the run, unless the reader has scrolled away.
(() => {
  "use strict";
  const find = (selector) => document.querySelector(selector);
  const scroller = () => find("#watch-thread .scroll");
  let known = null;  // the element, and what it showed
  let shown = "";
  let run = "";
  let top = 0;
  let follows = true;
  document.addEventListener("scroll", (event) => {
    const s = event.target;
    if (s !== known || s !== scroller() || s.scrollTop === top) return;  // moved from here, not by the reader
    top = s.scrollTop;
    follows = s.scrollTop + s.clientHeight > s.scrollHeight - 60;
  }, true);
  const reachable = () => {
    const panel = find("#watch-panel");
    if (!panel || panel.tabIndex === 0) return;
    panel.tabIndex = 0;  // it scrolls, so the keyboard has to reach it
    panel.setAttribute("role", "region");
    panel.setAttribute("aria-label", find("#words").dataset.panel);
  };
  // Where all stands below each other the page scrolls, and not the thread.
  const along = (fresh, title) => {
    const foot = find("#watch-foot");
    if (!window.supportops.shown(foot)) return;
    if (!fresh && foot.getBoundingClientRect().top > 2 * innerHeight) return;
    if (title) title.scrollIntoView({ block: "start" });
    else foot.scrollIntoView({ block: "end" });
  };
  const settle = () => {
    reachable();
    const s = scroller();
    if (!s) return;
    const { item, steps, phase } = s.dataset;
    const troubles = s.querySelectorAll(".trouble").length;
    const now = [s.dataset.run, item, steps, phase, troubles, s.scrollHeight].join("|");
    if (s === known && now === shown) return;
    const fresh = run !== s.dataset.run + item;
    const told = now.split("|", 5).join("|") !== shown.split("|", 5).join("|");
    known = s;
    shown = now;
    run = s.dataset.run + item;
    const title = phase === "done" && find("#watched-debrief-title");
    if (innerWidth < 900) {
      if (s.dataset.run && told) along(fresh, title);
      return;
    }
    if (fresh) follows = true;
    if (!follows) s.scrollTop = top;
    else if (fresh && !title) s.scrollTop = 0;  // a run may be over before it was ever drawn
    else if (title) s.scrollTop = title.offsetTop - s.offsetTop - 12;
    else s.scrollTop = s.scrollHeight;
    top = s.scrollTop;
  };
  let planned = false;
  new MutationObserver(() => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => { planned = false; settle(); });
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-run", "data-steps", "data-phase"] });
})();
