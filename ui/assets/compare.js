// The Compare tab in the browser: replay up to a step, and a second press before a run is deleted.
(() => {
  "use strict";
  const replay = (slider) => {
    const n = Number(slider.value);
    const said = slider.dataset.text.replace("{n}", n).replace("{most}", slider.max);
    slider.parentElement.querySelector("output").textContent = said;
    slider.setAttribute("aria-valuetext", said);
    const table = slider.closest(".cmp-threads").querySelector("table");
    table.querySelectorAll("[data-step]").forEach((row) => {
      const at = Number(row.dataset.step);
      row.hidden = at > n;
      row.classList.toggle("at", at === n && n < Number(slider.max));
      if (at !== n) return;
      row.querySelectorAll("[data-total]").forEach((cell, side) => {
        const sum = table.querySelector('[data-sum="' + side + '"]');
        if (sum) sum.textContent = cell.dataset.total;
      });
    });
  };
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-replay]")) replay(event.target);
  });
  // A file to take home is made here, from what the server put into the page.
  const taken = new Set();
  const take = (file) => {
    if (taken.has(file.dataset.take)) return;
    taken.add(file.dataset.take);
    const bytes = Uint8Array.from(atob(file.dataset.file), (c) => c.charCodeAt(0));
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
    link.download = file.dataset.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  new MutationObserver(() => {
    document.querySelectorAll("[data-take]").forEach(take);
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-take"] });
  // Deleting can't be undone: the first press asks.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-sure]");
    if (!button || button.classList.contains("sure")) return;
    event.stopPropagation();
    event.preventDefault();
    const before = button.innerHTML;
    button.classList.add("sure");
    button.textContent = button.dataset.sure;
    const back = () => {
      button.classList.remove("sure");
      button.innerHTML = before;
      button.removeEventListener("blur", back);
    };
    button.addEventListener("blur", back);
  }, true);
})();
