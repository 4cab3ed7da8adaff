// The page on which a person lets a program in. Everything that a program says of itself is shown as text.
const at = (id) => document.getElementById(id);
const isDevice = location.pathname === "/auth/device";
const MEANING = {
  recall: "read and search memories",
  remember: "write new memories",
  modify: "change memories",
  forget: "forget memories",
  recover: "bring forgotten memories back",
  documents: "take in documents",
  connectors: "see the connected hosts",
  diagnostics: "see how the server is",
  analytics: "see figures",
  admin: "do everything that an admin may",
  secrets: "run programs with secrets",
};
let ticket = "";

async function ask(path, body) {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Helix-Page": "1" },
    body: JSON.stringify(body),
    redirect: "error",
  });
  return { status: answer.status, told: await answer.json() };
}

function show(id) {
  for (const each of ["sign-in", "code", "consent", "done"]) at(each).hidden = each !== id;
  at("problem").hidden = true;
}

function complain(text) {
  at("problem").textContent = text;
  at("problem").hidden = false;
}

async function begin(typed) {
  const { status, told } = await ask("/auth/consent", isDevice ? { user_code: typed } : { query: location.search });
  if (status === 401) return show("sign-in");
  if (told.location) return location.assign(told.location);
  if (status !== 200) return complain(told.error_description ?? told.error);
  ticket = told.ticket;
  at("client").textContent = told.client;
  at("who").textContent = `You are ${told.user}. It calls itself ${told.client} (${told.client_id}).`;
  at("scopes").replaceChildren(...told.scopes.map((scope) => item(`${scope}: ${MEANING[scope] ?? ""}`)));
  at("where").textContent = told.sent_to
    ? `It is good for ${told.resource}. Your browser is sent back to ${told.sent_to}`
    : `It is good for ${told.resource}. It asked from ${told.asked_from}, and shows ${told.user_code}. Go on only if you started it yourself.`;
  at("workspace").replaceChildren(choice("", "any that is open to you"), ...told.workspaces.map((name) => choice(name, name)));
  at("projects").value = (told.projects ?? []).join(", ");
  return show("consent");
}

function item(text) {
  const made = document.createElement("li");
  made.textContent = text;
  return made;
}

function choice(value, text) {
  const made = document.createElement("option");
  made.value = value;
  made.textContent = text;
  return made;
}

async function decide(allow) {
  const projects = at("projects").value.split(",").map((name) => name.trim()).filter(Boolean);
  const { status, told } = await ask("/auth/decision", { ticket, allow, workspace: at("workspace").value || null, projects });
  if (status !== 200) return complain(told.error_description ?? told.error);
  if (told.location) location.assign(told.location);
  at("done").textContent = allow ? "It is let in. You can close this page." : "It is not let in. You can close this page.";
  return show("done");
}

at("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const key = at("key").value.trim();
  const { status, told } = await ask("/sign-in", key ? { key } : { user: at("user").value, password: at("password").value });
  if (status !== 200) return complain(told.error);
  at("password").value = at("key").value = "";
  return start();
});
at("code").addEventListener("submit", (event) => {
  event.preventDefault();
  return begin(at("user-code").value);
});
at("consent").addEventListener("submit", (event) => {
  event.preventDefault();
  return decide(true);
});
at("deny").addEventListener("click", () => decide(false));

async function start() {
  if (!isDevice) return begin();
  const who = await (await fetch("/whoami")).json();
  if (!who.signed_in) return show("sign-in");
  // A link may hold the code, so that nobody types it; what comes of it is a person's decision all the same.
  at("user-code").value ||= new URLSearchParams(location.search).get("user_code") ?? "";
  return show("code");
}

start().catch((error) => complain(String(error.message ?? error)));
