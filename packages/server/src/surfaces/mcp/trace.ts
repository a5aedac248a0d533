/** The client's W3C trace context, for the log. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

export function traceOf(meta: Readonly<Record<string, unknown>>): { readonly traceparent?: string } {
  const { traceparent } = meta;
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? { traceparent } : {};
}
