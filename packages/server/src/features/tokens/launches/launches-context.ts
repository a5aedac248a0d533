/** Dependencies of this feature. */
import type { Call } from '../../../access/call.ts';
import type { Caller } from '../../../access/caller.ts';
import type { PicturedAgent, ShownPictures } from '../../../access/shown-pictures.ts';
import type { OutboundClient } from '../../../platform/outbound/outbound-client.ts';
import type { AgentWalletsContext } from '../../agent-wallets/index.ts';

/** A picture that was uploaded here. */
interface UploadedPicture {
  /** Without a grant. */
  readonly url: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
}

export interface TokenPictures extends Pick<ShownPictures, 'show'> {
  /** Undefined for an address elsewhere. Throws `foreign_upload` when neither the caller nor this agent may show the file. */
  findPicture(url: string, by: Caller, agent: PicturedAgent): Promise<UploadedPicture | undefined>;
  /** Keeps a downloaded picture here, so that nobody changes it. Throws the errors of an upload. */
  copyPicture(bytes: Buffer, call: Pick<Call, 'caller' | 'log'>): Promise<UploadedPicture>;
}

export interface LaunchesContext {
  /** The wallets that pay. */
  readonly agentWallets: AgentWalletsContext;
  /** Downloads pictures. */
  readonly outbound: OutboundClient;
  readonly files: TokenPictures;
  readonly appUrl: string;
}
