// Before the first paint, and so not a module: the theme that was chosen here, if one was.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("helix-theme");
  } catch {
    // A browser that keeps nothing follows the system.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
