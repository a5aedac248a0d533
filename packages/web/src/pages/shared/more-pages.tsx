import { More } from '../../ui/index.ts';

export interface MorePagesProps {
  /** As `usePages` gives it. */
  readonly list: {
    readonly data: { readonly pages: readonly { readonly total: number }[] } | undefined;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly shown: number;
  readonly what: string;
  /** Where the count stands elsewhere already: nothing once everything is shown. */
  readonly onlyIfMore?: boolean;
}

/** The end of a list that is read page after page. */
export function MorePages({ list, shown, what, onlyIfMore = false }: MorePagesProps) {
  if (onlyIfMore && !list.hasNextPage) return null;
  return (
    <More
      shown={shown}
      total={list.data?.pages.at(-1)?.total ?? shown}
      what={what}
      hasMore={list.hasNextPage}
      busy={list.isFetchingNextPage}
      onMore={() => void list.fetchNextPage()}
    />
  );
}
