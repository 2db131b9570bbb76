// Asks the model for a tone, and takes what must not get out of its replies.
// It uses everything that a manifest can hold.
export const manifest = {
  name: "Reply tone",
  api: 1,
  description: "Adds a line about tone to the system prompt and masks a word in replies.",
  permissions: ["system", "reply.text", "reply.tool_calls"],
  match: {
    clients: ["editor-*"],
    models: ["claude-*", "gpt-*"],
    upstreams: ["https://api.example.org/*", "https://models.example.net/v1/*"],
  },
  on_error: "skip",
  reply: "stream",
  settings: {
    tone: { type: "string", label: "Tone of the replies", value: "friendly" },
    max_notes: { type: "number", label: "Notes at most", value: 3 },
    mask: { type: "boolean", label: "Mask the word", value: false },
    word: { type: "string", value: "" },
  },
};

const value = (name) => manifest.settings[name].value;

/* A look-alike that is none: export const manifest = { name: "no" }; */
const marker = `tone: ${"`" + value("tone").replace(/[`{}]/g, "") + "`"}`;

export function onRequest(request) {
  const lines = [request.system ?? "", marker].filter((line) => line !== "");
  return { ...request, system: lines.join("\n") };
}

export function onReplyText(text) {
  if (!value("mask") || value("word") === "") return text;
  return text.split(value("word")).join("***");
}

export function onReplyTextEnd() {
  return "";
}

export function onToolCall(call) {
  const ratio = call.arguments.length / 2;
  return ratio > 1e6 ? { ...call, refused: true } : call;
}
