// What the reading tabs need in the browser: copying a snippet.
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
