// The walkthrough of the first visit: four steps beside what they speak of; remembered in the browser.
(() => {
  "use strict";
  const app = window.supportops;
  const PLACES = { controls: "#controls", queue: "#queue-col", desk: "#desk-col", panel: "#panel-col" };
  const tour = () => document.querySelector("#tour");
  let at = -1;
  const place = (box, target) => {
    const t = target.getBoundingClientRect();
    const wide = innerWidth >= 900 && innerHeight >= 600;
    box.classList.toggle("docked", !wide);
    if (!wide) { box.style.left = box.style.top = ""; return; }
    const room = innerWidth - t.right > box.offsetWidth + 24;
    const left = t.bottom < 100 ? t.left : room ? t.right + 14 : t.left > box.offsetWidth + 24 ? t.left - box.offsetWidth - 14 : t.left + 40;
    box.style.left = left + "px";
    box.style.top = Math.max(80, t.top + 56) + "px";
  };
  const show = (n) => {
    const box = tour();
    if (!box) return;
    const steps = [...box.querySelectorAll(".tour-step")];
    document.querySelectorAll(".spot").forEach((e) => e.classList.remove("spot"));
    at = n;
    box.hidden = n < 0;
    if (n < 0) return;
    steps.forEach((s, i) => { s.hidden = i !== n; });
    const target = document.querySelector(PLACES[steps[n].dataset.target]);
    const next = box.querySelector("[data-tour-next]");
    next.textContent = n === steps.length - 1 ? next.dataset.last : next.dataset.more;
    box.querySelector("[data-tour-back]").hidden = n === 0;
    if (target) {
      target.classList.add("spot");
      place(box, target);
      if (box.classList.contains("docked")) target.scrollIntoView({ block: "start" });
    }
    next.focus({ preventScroll: true });
  };
  const end = () => { app.keep("tour", "seen"); show(-1); };
  app.tour = () => show(0);
  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    if (on("[data-tour-next]")) at + 1 < tour().querySelectorAll(".tour-step").length ? show(at + 1) : end();
    else if (on("[data-tour-back]")) show(at - 1);
    else if (on("[data-tour-end]")) end();
  });
  document.addEventListener("keydown", (event) => {
    if (at < 0) return;
    const on = (selector) => tour().querySelector(selector).click();
    if (event.key === "Escape") end();
    else if (event.target.closest("#tour") && event.key === "ArrowRight") on("[data-tour-next]");
    else if (event.target.closest("#tour") && event.key === "ArrowLeft" && at) on("[data-tour-back]");
  });
  addEventListener("resize", () => { if (at >= 0) show(at); });
  // First visit: once the first episode is there.
  const first = new MutationObserver(() => {
    if (!app.shown(document.querySelector('#thread .scroll[data-phase="running"]'))) return;
    first.disconnect();
    if (app.read("tour") !== "seen") show(0);
  });
  first.observe(document.documentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-phase", "style"] });
})();
