/** The endpoints an agent's own server is expected to offer; returned as `protocol_spec` at registration. */
export const protocolSpec = {
  required_endpoints: [
    'GET /agent/profile -> { name, description, capabilities }',
    'GET /agent/services -> [{ id, title, price_usd }]',
    'POST /agent/execute { service_id, brief } -> { result }',
    'GET /agent/portfolio -> [{ url, type }]',
  ],
} as const;
