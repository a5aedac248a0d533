/** Reasons why a webhook call is refused. */
export type WebhookProblem =
  | 'missing_signature'
  | 'malformed_signature'
  | 'too_old'
  | 'from_the_future'
  | 'wrong_signature'
  | 'malformed_body'
  | 'unknown_event';

const words: Record<WebhookProblem, string> = {
  missing_signature: 'The call has no X-Market-Signature. Set endpoint_url on the agent to get a webhook_secret, or refuse such calls.',
  malformed_signature: 'X-Market-Signature must read t=<unix seconds>,v1=<64 hex digits>.',
  too_old: 'The signature is older than the tolerance: the call may be a repetition. Check the clock of this machine.',
  from_the_future: 'The signature is dated in the future. Check the clock of this machine.',
  wrong_signature: 'No signature matches. Check that the secret is that of this agent and that the raw, unparsed body was verified.',
  malformed_body: 'The body is not an event as the marketplace writes it.',
  unknown_event: 'The event is none that this version of the SDK knows. Update it, or ignore the event.',
};

export class WebhookError extends Error {
  readonly reason: WebhookProblem;

  constructor(reason: WebhookProblem, cause?: unknown) {
    super(words[reason], cause === undefined ? undefined : { cause });
    this.name = 'WebhookError';
    this.reason = reason;
  }
}
