// The console in the browser: theme, reply box, drawers, tooltips, what a re-render must not lose.
(() => {
  "use strict";
  const read = (store, key) => { try { return store.getItem("supportops." + key); } catch { return null; } };
  const keep = (store, key, value) => { try { store.setItem("supportops." + key, value); } catch { /* private mode */ } };
  const find = (selector) => document.querySelector(selector);
  const scroller = () => find("#thread .scroll");
  const box = () => find("#reply textarea");

  // The secret that finds this person's own runs again. Without storage it lasts as long as the page.
  let fleeting = "";
  const owner = () => {
    if (!fleeting) {
      const bytes = crypto.getRandomValues(new Uint8Array(24));
      fleeting = btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_");
    }
    if (!read(localStorage, "owner")) keep(localStorage, "owner", fleeting);
    return read(localStorage, "owner") || fleeting;
  };

  window.supportops = {
    read: (key) => read(localStorage, key),
    keep: (key, value) => keep(localStorage, key, value),
    visitor: () => ({
      run: read(sessionStorage, "run") || "",
      owner: owner(),
      name: read(localStorage, "name") || "",
    }),
    shown: (element) => Boolean(element && element.offsetParent),
  };

  // Theme: the visitor's choice over the system's. Gradio sets the class anew when the system changes.
  const applyTheme = () => {
    const chosen = read(localStorage, "theme");
    if (chosen && document.body.classList.contains("dark") !== (chosen === "dark")) {
      document.body.classList.toggle("dark", chosen === "dark");
    }
  };
  new MutationObserver(applyTheme).observe(document.body, { attributes: true, attributeFilter: ["class"] });
  applyTheme();

  // Reply box. Gradio's textboxes learn of a new value by an input event.
  const setText = (area, text, caret) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(area, text);
    area.dispatchEvent(new Event("input", { bubbles: true }));
    area.focus();
    area.setSelectionRange(caret, caret);
  };
  const insert = ({ insert: text, where }) => {
    const area = box();
    if (!area) return;
    if (where === "end") {
      if (!area.value.endsWith(text)) setText(area, area.value.trimEnd() + text, area.value.trimEnd().length);
      return;
    }
    if (where === "start") {  // one opening at a time
      const known = [...document.querySelectorAll("[data-where=start]")].map((b) => b.dataset.insert);
      const old = known.find((opening) => area.value.startsWith(opening.trimEnd())) || "";
      const rest = area.value.slice(old.trimEnd().length).trimStart();
      setText(area, text + rest, text.length);
      return;
    }
    const [start, end] = [area.selectionStart, area.selectionEnd];
    const before = area.value.slice(0, start);
    const gap = before && !/\s$/.test(before) && !/^\s/.test(text) ? " " : "";
    setText(area, before + gap + text + area.value.slice(end), start + gap.length + text.length);
  };
  const count = () => {
    const [area, counter] = [box(), find("#counter")];
    if (!counter) return;
    const n = area ? [...area.value].length : 0;
    const most = Number(counter.dataset.most);
    const over = n > most;
    const numbers = { n, most, over: n - most };
    const near = n > most * 0.6;  // before that the number would only be one more thing to look at
    const text = !near ? "" : counter.dataset[over ? "over" : "count"].replace(/{(\w+)}/g, (_, k) => numbers[k].toLocaleString("en"));
    if (counter.textContent !== text) counter.textContent = text;
    counter.classList.toggle("over", over);
    counter.setAttribute("aria-live", over ? "polite" : "off");
    if (area) area.setAttribute("aria-invalid", String(over));
  };

  // Drawers: the reason for escalating or closing.
  const drawer = (name) => {
    // A field that gets hidden keeps the focus for a moment, and with it the keys.
    if (!name && document.activeElement.closest(".drawer")) document.activeElement.blur();
    const s = scroller();
    const atEnd = s && s.scrollTop > 0 && s.scrollTop + s.clientHeight > s.scrollHeight - 4;
    if (name) document.body.dataset.drawer = name; else delete document.body.dataset.drawer;
    document.querySelectorAll("[data-drawer]").forEach((b) => {
      if (b !== document.body) b.setAttribute("aria-expanded", String(b.dataset.drawer === name));
    });
    const field = name && find(name === "escalate" ? "#reason input, #reason textarea" : "#note input, #note textarea");
    if (field) field.focus();
    if (atEnd) s.scrollTop = s.scrollHeight;
  };
  const panel = () => {
    const p = find("#panel-col");
    if (!p || p.tabIndex === 0) return;
    p.tabIndex = 0;  // it scrolls, so the keyboard has to reach it
    p.setAttribute("role", "region");
    p.setAttribute("aria-label", (find("#words") || p).dataset.panel || "");
  };
  window.supportops.drawer = drawer;
  window.supportops.toggleDrawer = (name) => drawer(document.body.dataset.drawer === name ? "" : name);

  // Tooltips: on hover and focus, gone with Escape, and the pointer may rest on them.
  const tip = () => find("#tip");
  const showTip = (anchor) => {
    const t = tip();
    if (!t) return;
    t.textContent = anchor.dataset.tip;
    t.hidden = false;
    const place = anchor.getBoundingClientRect();
    const left = Math.min(Math.max(8, place.left), innerWidth - t.offsetWidth - 8);
    const above = place.top - t.offsetHeight - 6;
    t.style.left = left + "px";
    t.style.top = (above > 8 ? above : place.bottom + 6) + "px";
  };
  const hideTip = () => { if (tip()) tip().hidden = true; };
  for (const type of ["mouseover", "focusin"]) {
    document.addEventListener(type, (event) => {
      const anchor = event.target.closest && event.target.closest("[data-tip]");
      if (anchor) showTip(anchor); else if (!(event.target.closest && event.target.closest("#tip"))) hideTip();
    });
  }
  document.addEventListener("scroll", hideTip, true);
  window.supportops.hideTip = hideTip;

  // Busy: a bar after 200 ms, a message after 20 s without an answer.
  let waiting = 0;
  const busy = (on) => {
    clearTimeout(waiting);
    document.body.classList.toggle("busy", on);
    const offline = find("#offline");
    if (!on) { if (offline) offline.hidden = true; return; }
    waiting = setTimeout(() => {
      document.body.classList.remove("busy");
      if (offline) offline.hidden = false;
    }, 20000);
  };
  document.addEventListener("supportops:act", () => busy(true));

  document.addEventListener("click", (event) => {
    const on = (selector) => event.target.closest(selector);
    let hit;
    if (on("[data-theme]")) {
      const dark = !document.body.classList.contains("dark");
      keep(localStorage, "theme", dark ? "dark" : "light");
      applyTheme();
    } else if ((hit = on("[data-insert]"))) insert(hit.dataset);
    else if ((hit = on("button[data-drawer]"))) window.supportops.toggleDrawer(hit.dataset.drawer);
    else if ((hit = on("[data-jump]"))) {
      const note = document.getElementById(hit.dataset.jump);
      if (note) { note.scrollIntoView({ block: "nearest" }); flash(note); }
    } else if (on("#send, #escalate, #resolve, #search")) busy(true);
  });
  const flash = (note) => { note.classList.remove("flash"); void note.offsetWidth; note.classList.add("flash"); };
  document.addEventListener("input", (event) => {
    if (event.target !== box()) return;
    count();
    const s = scroller();
    if (s) keep(sessionStorage, "text", JSON.stringify([s.dataset.item, box().value]));
  });
  // A text that was not sent yet outlives a reload of the page.
  let restored = false;
  const restore = () => {
    const [s, area] = [scroller(), box()];
    if (restored || !s || s.dataset.phase !== "running") return;
    const [item, text] = JSON.parse(read(sessionStorage, "text") || "[]");
    if (item !== s.dataset.item || !text) restored = true;
    else if (area) {
      restored = true;
      if (!area.value) setText(area, text, text.length);
      area.blur();
    }
  };

  // What a re-render must not lose: which <details> are open, and where the focus was.
  const open = new Map();
  document.addEventListener("click", (event) => {
    const details = event.target.closest("summary") && event.target.closest("details[data-keep]");
    if (details) open.set(details.dataset.keep, !details.open);
  }, true);
  let focused = "";
  document.addEventListener("focusin", (event) => { focused = (event.target.dataset && event.target.dataset.key) || ""; });

  let last = "";
  const settle = () => {
    document.querySelectorAll("details[data-keep]").forEach((d) => {
      const wanted = open.get(d.dataset.keep);
      if (wanted !== undefined && d.open !== wanted) d.open = wanted;
    });
    if (focused && document.activeElement === document.body) {
      const same = find('[data-key="' + CSS.escape(focused) + '"]');
      if (same) same.focus();
    }
    count();
    panel();
    restore();
    const named = find(".finish[data-name]");
    if (named) keep(localStorage, "name", named.dataset.name);
    const s = scroller();
    const now = s ? [s.dataset.run, s.dataset.item, s.dataset.steps, s.dataset.phase].join("|") : "";
    if (now === last) return;
    const [run, item] = last.split("|");
    const fresh = !s || run !== s.dataset.run || item !== s.dataset.item || s.dataset.steps === "0";
    last = now;
    if (!s) return;
    if (s.dataset.run) keep(sessionStorage, "run", s.dataset.run);
    if (s.dataset.phase === "done") keep(sessionStorage, "text", "[]");
    if (fresh) open.clear();
    busy(false);
    drawer("");
    move(s, fresh);
  };
  const move = (s, fresh) => {
    const title = find("#debrief-title");
    const card = find(".card.on");
    if (card) {
      const list = card.closest(".cards");
      const off = card.offsetTop - list.offsetTop;
      if (off < list.scrollTop || off + card.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = off - 4;
    }
    if (s.dataset.phase === "done" && title) {
      title.focus({ preventScroll: true });
      s.scrollTop = title.offsetTop - s.offsetTop - 12;
      if (s.scrollHeight <= s.clientHeight + 1) title.scrollIntoView({ block: "start" });
    } else if (fresh) s.scrollTop = 0;
    else s.scrollTop = s.scrollHeight;
  };
  let planned = false;
  new MutationObserver(() => {
    if (planned) return;
    planned = true;
    queueMicrotask(() => { planned = false; settle(); });
  }).observe(document.documentElement, { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: ["data-steps", "data-phase", "data-run", "data-item", "open"] });
  // A refusal changes nothing but the status line.
  new MutationObserver(() => busy(false)).observe(document.documentElement, { subtree: true, childList: true });
})();
