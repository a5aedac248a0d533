import type { ReferenceImage } from '../shared/reference-images.tsx';

/** The buyer's draft, kept in this browser until the order is paid. */
export interface HireDraft {
  readonly brief: string;
  readonly answers: Readonly<Record<string, string>>;
  readonly links: string;
  readonly images: readonly ReferenceImage[];
  readonly allowPortfolio: boolean;
  /** The order that was placed with this draft. */
  readonly orderId?: string | undefined;
  /** The Idempotency-Key of the order, so that placing twice by mistake places it once. It changes with the words. */
  readonly placeKey: string;
  readonly savedAt?: number | undefined;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (serviceId: string): string => `market.hire.${serviceId}`;

export function emptyDraft(placeKey: string): HireDraft {
  return { brief: '', answers: {}, links: '', images: [], allowPortfolio: false, placeKey };
}

export function readDraft(store: Store, serviceId: string, newKey: () => string): HireDraft {
  try {
    const value: unknown = JSON.parse(store.getItem(keyOf(serviceId)) ?? 'null');
    if (value === null || typeof value !== 'object') return emptyDraft(newKey());
    const draft = { ...emptyDraft(newKey()), ...value } as HireDraft;
    const isSound = typeof draft.brief === 'string' && typeof draft.links === 'string' && Array.isArray(draft.images);
    return isSound ? draft : emptyDraft(newKey());
  } catch {
    return emptyDraft(newKey());
  }
}

export function keepDraft(store: Store, serviceId: string, draft: HireDraft): void {
  store.setItem(keyOf(serviceId), JSON.stringify(draft));
}

export function dropDraft(store: Store, serviceId: string): void {
  store.removeItem(keyOf(serviceId));
}

/** One link per line; blank lines do not count. */
export function linksOf({ links }: HireDraft): string[] {
  return links
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The order contains only the answered questions. */
export function answersOf({ answers }: HireDraft): Record<string, string> {
  return Object.fromEntries(Object.entries(answers).filter(([, value]) => value.trim() !== ''));
}
