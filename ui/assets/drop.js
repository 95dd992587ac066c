// Runs in the file picker: a chosen or dropped file is uploaded, then named to the server.
const drop = element.querySelector(".drop");
const problem = element.querySelector(".drop-error");
const bring = async (file) => {
  problem.textContent = "";
  if (!file) return;
  if (file.size > Number(drop.dataset.most)) { problem.textContent = drop.dataset.large; return; }
  document.dispatchEvent(new CustomEvent("supportops:act", { detail: "file" }));
  try {
    const { path } = await upload(file);
    trigger("select", { act: "file", path, name: file.name });
  } catch {
    problem.textContent = drop.dataset.failed;
  }
};
element.addEventListener("change", (event) => {
  if (!event.target.matches("input[type=file]")) return;
  bring(event.target.files[0]);
  event.target.value = "";
});
for (const type of ["dragenter", "dragover"]) {
  element.addEventListener(type, (event) => { event.preventDefault(); drop.classList.add("over"); });
}
for (const type of ["dragleave", "drop"]) element.addEventListener(type, () => drop.classList.remove("over"));
element.addEventListener("drop", (event) => { event.preventDefault(); bring(event.dataTransfer.files[0]); });
