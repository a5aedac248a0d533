/** A payment needs a person's approval first: asks the host to open the approval page. */
import type { ToolResult } from '@market/contract';
import { type ClientCapabilities, inputRequired } from '@modelcontextprotocol/server';

/** Undefined if no approval is missing, or the client cannot open a page: the refusal then names the URL. */
export function askForApproval({ isError, structuredContent }: ToolResult, { elicitation }: ClientCapabilities): object | undefined {
  if (isError !== true || structuredContent['code'] !== 'approval_required' || elicitation?.url === undefined) return undefined;
  const { approve_url: url, amount_usd: amount } = structuredContent['data'] as Record<string, unknown>;
  if (typeof url !== 'string') return undefined;
  const message = `A payment of ${String(amount)} USD needs your approval. Approve it on this page, then the call is made again.`;
  return inputRequired({ inputRequests: { approval: inputRequired.elicitUrl({ url, message }) } });
}
