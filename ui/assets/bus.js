// Runs in each view: buttons with data-act reach the server with their data attributes.
const send = (sent) => {
  document.dispatchEvent(new CustomEvent("supportops:act", { detail: sent.act }));
  trigger("select", sent);
};
element.addEventListener("click", (event) => {
  const button = event.target.closest("[data-act]");
  if (!button || button.disabled || ["SELECT", "FORM"].includes(button.tagName)) return;
  const fields = [...element.querySelectorAll("[data-field]")].map((f) => [f.dataset.field, f.value]);
  const more = fields.length ? { fields: JSON.stringify(Object.fromEntries(fields)) } : {};
  send({ ...button.dataset, ...more });
});
// So do selects, with the value that was chosen, and forms, with all of their fields.
element.addEventListener("change", (event) => {
  const select = event.target.closest("select[data-act]");
  const form = event.target.closest("form[data-act]");
  if (select) send({ ...select.dataset, value: select.value });
  else if (form) send({ ...form.dataset, ...Object.fromEntries(new FormData(form)) });
});
