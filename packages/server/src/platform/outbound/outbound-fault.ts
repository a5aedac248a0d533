/** Why a call to a stranger brought no answer. The words are for logs and for the owner of the address: no address of ours stands in them. */

export type OutboundFaultKind =
  /** The address may not be called. */
  | 'refused'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'timeout'
  | 'too_large'
  /** What came back is not HTTP, or ended too early. */
  | 'protocol'
  /** The caller, or the end of this process, cut it short. */
  | 'aborted'
  /** Too many calls are under way. */
  | 'busy';

export class OutboundFault extends Error {
  readonly kind: OutboundFaultKind;
  /** Where the headers had come already. */
  readonly status: number | undefined;

  constructor(kind: OutboundFaultKind, message: string, status?: number) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}
