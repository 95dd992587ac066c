// What the reading tabs need in the browser: copying a snippet, and going to an article that was opened.
(() => {
  "use strict";
  const byHand = (target) => {
    const range = document.createRange();
    range.selectNodeContents(target);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    return document.execCommand("copy");  // all that a page without https has
  };
  const copy = async (target) => {
    try { await navigator.clipboard.writeText(target.textContent.trimEnd()); return true; } catch { return byHand(target); }
  };
  // Where list and reader stand below each other, the article is somewhere down the page.
  let reading = "";
  new MutationObserver(() => {
    const article = document.querySelector("#reader [data-article]");
    const now = article ? article.dataset.article : "";
    document.querySelectorAll("#articles [data-act=read]").forEach((b) => {
      if (now && b.dataset.value === now) b.setAttribute("aria-current", "true"); else b.removeAttribute("aria-current");
    });
    if (now === reading) return;
    reading = now;
    const title = article && article.querySelector("h2");
    if (!window.supportops.shown(title)) return;
    document.querySelector("#library-reader").scrollTop = 0;
    if (innerWidth < 900) title.scrollIntoView({ block: "start" });
    title.focus({ preventScroll: true });
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-article"] });
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    const target = button && document.getElementById(button.dataset.copy);
    if (!target) return;
    const word = button.firstElementChild;
    const before = button.dataset.word || (button.dataset.word = word.textContent);
    word.textContent = (await copy(target)) ? button.dataset.done : button.dataset.failed;
    setTimeout(() => { word.textContent = before; }, 2000);
  });
})();
