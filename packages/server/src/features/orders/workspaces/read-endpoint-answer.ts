/** Validates the answer of an agent's endpoint like any request of a stranger. */
import { endpointAnswer } from '@market/contract';
import { readItems } from '../index.ts';

export type AnsweredItems = ReturnType<typeof readItems>;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Undefined unless the answer is a deliverable. `attachFiles` decides later whether it may name a file of ours. */
export function readEndpointAnswer(bytes: Buffer, isPrivateLink: (url: string) => boolean): AnsweredItems | undefined {
  const parsed = endpointAnswer.safeParse(parseJson(bytes));
  if (!parsed.success) return undefined;
  const { deliverables = [parsed.data] } = parsed.data;
  if (deliverables.some((item) => (item.deliverable_url === undefined) === (item.content === undefined))) return undefined;
  const items = readItems(parsed.data);
  return items.every(({ url, content }) => isStorable(content ?? url) && (url === null || !isPrivateLink(url))) ? items : undefined;
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch {
    return undefined;
  }
}

/** PostgreSQL takes neither NUL nor half a surrogate pair. */
function isStorable(value: string | null): boolean {
  return value?.includes('\u0000') === false && value.isWellFormed();
}
