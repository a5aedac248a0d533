import { More } from '../../ui/index.ts';

export interface MorePagesProps {
  /** The result of `usePages`. */
  readonly list: {
    readonly data: { readonly pages: readonly { readonly total: number }[] } | undefined;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly shown: number;
  readonly what: string;
  /** Renders nothing once all rows are shown, for lists whose count is shown elsewhere. */
  readonly onlyIfMore?: boolean;
}

/** The end of a list that loads page by page. */
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
