/** Pages of a list by their number in the URL, from 1. */

const LAST_PAGE = 10_000;

/** Anything but a page number gives the first page. */
export function readPage(search: URLSearchParams): number {
  const value = search.get('page') ?? '';
  const page = /^[1-9]\d{0,4}$/.test(value) ? Number(value) : 1;
  return Math.min(page, LAST_PAGE);
}

/** The page as arguments of the API call. */
export function pageArguments(page: number, size: number): { readonly limit: number; readonly offset?: number } {
  return { limit: size, ...(page > 1 && { offset: (page - 1) * size }) };
}
