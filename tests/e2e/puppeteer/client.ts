/**
 * Works in a browser with Puppeteer, in a process of its own: as one of our dependencies Puppeteer would become one of
 * the program's too, because `cloakbrowser` takes it where it is there.
 *
 * Arguments: `npm:puppeteer-core@<version>`, the address of the browser's socket, and a page to open.
 */
const [specifier = "", browserWSEndpoint = "", url = ""] = Deno.args;
const { default: puppeteer } = await import(specifier);
const browser = await puppeteer.connect({ browserWSEndpoint });
const page = await browser.newPage();
await page.goto(url);
const product = await page.evaluate("6 * 7");
const title = await page.title();
const picture = await page.screenshot();
await page.close();
await browser.disconnect();
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify({ product, title, bytes: picture.length })));
