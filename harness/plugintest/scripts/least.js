export const manifest = {
  name: "least",
  api: 1,
  permissions: ["messages"],
};

export function onRequest(request) {
  return request;
}
