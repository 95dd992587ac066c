// Keyboard play and dialogs. Single keys act only outside of fields, and can be switched off (WCAG 2.1.4).
(() => {
  "use strict";
  const app = window.supportops;
  const find = (selector) => document.querySelector(selector);
  const press = (selector) => {
    const b = find(selector);
    if (!app.shown(b) || b.disabled) return false;
    b.click();
    return true;
  };
  const focus = (selector) => {
    const field = find(selector);
    if (!app.shown(field)) return false;
    field.focus();
    if (field.select && field.closest("#query, #library-query")) field.select();
    return true;
  };
  const step = (by) => {
    const cards = [...document.querySelectorAll(".card, .kb-entry, .kb-hit")].filter(app.shown);
    if (!cards.length) return false;
    const at = cards.indexOf(document.activeElement);
    const from = at >= 0 ? at : cards.findIndex((c) => c.classList.contains("on"));
    const next = cards[(from + by + cards.length) % cards.length];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    return true;
  };
  const single = () => app.read("single") !== "off";
  const dialog = () => find("#keys");

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    n: () => press('[data-key="new"]'),
    r: () => focus("#reply textarea"),
    m: () => focus(".macros button"),
    "/": () => focus("#query input, #query textarea") || focus("#library-query input, #library-query textarea"),
    e: () => app.shown(find('[data-key="drawer-escalate"]')) && (app.drawer("escalate"), true),
    "?": () => (openKeys(), true),
  };
  document.addEventListener("keydown", (event) => {
    const target = event.target;
    const typing = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (event.key === "Escape") {
      app.hideTip();
      const open = document.body.dataset.drawer;
      if (open) { app.drawer(""); focus('[data-key="drawer-' + open + '"]'); }
      else if (typing) target.blur();
      return;
    }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      const open = target.closest(".drawer") && document.body.dataset.drawer;
      if (!target.closest("#query") && press(open ? "#" + open : "#send")) event.preventDefault();
      return;
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey || !single()) return;
    if (dialog() && dialog().open) return;
    const act = keys[event.key];
    if (act && act()) event.preventDefault();
  });

  const openKeys = () => {
    const box = dialog();
    if (!box || box.open) return;
    box.querySelector("[data-single]").checked = single();
    box.showModal();
  };
  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    if (on('[data-open="keys"]')) openKeys();
    else if (on("[data-close]") || event.target === dialog()) dialog().close();
    else if (on("[data-tour]")) { dialog().close(); app.tour(); }
  });
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-single]")) app.keep("single", event.target.checked ? "on" : "off");
  });
})();
