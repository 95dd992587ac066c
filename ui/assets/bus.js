// Runs in each view: buttons with data-act reach the server with their data attributes.
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (!button || button.disabled || button.tagName === "SELECT") return;
  document.dispatchEvent(new CustomEvent("supportops:act", { detail: button.dataset.act }));
  const fields = [...element.querySelectorAll("[data-field]")].map((f) => [f.dataset.field, f.value]);
  const more = fields.length ? { fields: JSON.stringify(Object.fromEntries(fields)) } : {};
  trigger("select", { ...button.dataset, ...more });
});
// So do selects, with the value that was chosen.
element.addEventListener("change", (event) => {
  const select = event.target.closest("select[data-act]");
  if (!select) return;
  document.dispatchEvent(new CustomEvent("supportops:act", { detail: select.dataset.act }));
  trigger("select", { ...select.dataset, value: select.value });
});
