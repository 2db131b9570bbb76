// A plugin whose manifest the host reads as data and rewrites when a setting is saved.
export const manifest = {
  name: "NAME",
  api: 1,
  description: "Adds a line to the system prompt.",
  permissions: ["system"],
  settings: { line: { type: "string", label: "The line", value: "Be brief." } },
};

export function onRequest(request) {
  const line = manifest.settings.line.value;
  if (line === "") return request;
  return { ...request, system: [request.system, line].filter(Boolean).join("\n") };
}
