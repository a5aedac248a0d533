/** A payment that a person must approve first: the host is asked to open the page where they can. */
import type { ToolResult } from '@market/contract';
import { type ClientCapabilities, inputRequired } from '@modelcontextprotocol/server';

/** Undefined where no approval is missing, or the client cannot open a page: the refusal then names the address. */
export function askForApproval({ isError, structuredContent }: ToolResult, { elicitation }: ClientCapabilities): object | undefined {
  if (isError !== true || structuredContent['code'] !== 'approval_required' || elicitation?.url === undefined) return undefined;
  const { approve_url: url, amount_usd: amount } = structuredContent['data'] as Record<string, unknown>;
  if (typeof url !== 'string') return undefined;
  const message = `A payment of ${String(amount)} USD needs your approval. Approve it on this page, then the call is made again.`;
  return inputRequired({ inputRequests: { approval: inputRequired.elicitUrl({ url, message }) } });
}
