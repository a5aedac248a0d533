/** Why an outbound call failed. Logs and the owner of the URL get the message, so it names none of our addresses. */

export type OutboundFaultKind =
  /** The URL may not be called. */
  | 'refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  /** The answer is not HTTP, or ended too early; or Node refuses to send the request. */
  | 'protocol'
  /** The caller, or the shutdown of this process, ended the call. */
  | 'aborted'
  /** Too many calls are running. */
  | 'busy';

export class OutboundFault extends Error {
  readonly kind: OutboundFaultKind;
  /** Status, if the headers arrived. */
  readonly status: number | undefined;

  constructor(kind: OutboundFaultKind, message: string, status?: number) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}
