/** Why an outbound call failed. The message goes to logs and to the owner of the URL, so it names none of our addresses. */

export type OutboundFaultKind =
  /** The address may not be called. */
  | 'refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  /** The answer is not HTTP, or ended too early; or Node refuses to send the request. */
  | 'protocol'
  /** The caller, or the end of this process, cut it short. */
  | 'aborted'
  /** Too many calls are under way. */
  | 'busy';

export class OutboundFault extends Error {
  readonly kind: OutboundFaultKind;
  /** Status, if the headers had arrived. */
  readonly status: number | undefined;

  constructor(kind: OutboundFaultKind, message: string, status?: number) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}
