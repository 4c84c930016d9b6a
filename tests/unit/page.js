// Judges a page in the browser (tests/unit/test_report_browser.sh): what is wrong with it, as an array of
// sentences. Text must lie inside the page or the box that scrolls it, and no two texts of a picture, nor two cells
// of a table, nor two paragraphs may lie over each other.
(() => {
    const wrong = [], slack = 1.5;
    const say = (what, e) => wrong.length < 20 && wrong.push(`${what}: "${(e.textContent || e.tagName).trim().slice(0, 60)}"`);
    const visible = r => r.width > 0 && r.height > 0;
    const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack &&
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack;
    for (const d of document.querySelectorAll("details")) d.open = true;

    const page = document.documentElement;
    if (page.scrollWidth > innerWidth) wrong.push(`the page is ${page.scrollWidth} wide, the window ${innerWidth}`);

    // The boxes of each text's own glyphs.
    const boxes = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node; (node = walker.nextNode());) {
        const e = node.parentElement;
        if (!node.data.trim() || e.closest("title, desc, style, .skip")) continue;
        if (matchMedia("print").matches && e.closest("nav")) continue; // paper has no links
        const range = document.createRange();
        range.selectNodeContents(node);
        const rects = e.closest("svg") ? [e.getBoundingClientRect()] : [...range.getClientRects()];
        if (!rects.some(visible)) say("text without a box", e);
        for (const r of rects.filter(visible)) boxes.push({e, r});
    }
    if (!boxes.length) wrong.push("no text at all");

    // Cut off: outside of what can be seen or scrolled to.
    for (const {e, r} of boxes) {
        const scroll = e.closest(".scroll"), svg = e.closest("svg");
        if (svg) {
            const s = svg.getBoundingClientRect();
            if (r.left < s.left - slack || r.right > s.right + slack || r.top < s.top - slack || r.bottom > s.bottom + slack)
                say("cut off by its picture", e);
        } else if (scroll) {
            const s = scroll.getBoundingClientRect(), left = s.left - scroll.scrollLeft;
            if (r.left < left - slack || r.right > left + scroll.scrollWidth + slack) say("cut off by its table's box", e);
        } else if (r.left < -slack || r.right > innerWidth + slack)
            say("cut off by the page", e);
        for (let a = e; a && a !== document.body; a = a.parentElement) {
            const style = getComputedStyle(a);
            if (a.classList.contains("scroll") || a.ownerSVGElement || a.tagName === "svg") break;
            if (style.overflowX !== "visible" && a.scrollWidth > a.clientWidth + slack) say("cut off by its box", a);
        }
    }

    // Over each other: texts of one picture, cells of one row, and what stands below each other in the page.
    for (const svg of document.querySelectorAll("svg")) {
        const texts = [...svg.querySelectorAll("text")].map(e => ({e, r: e.getBoundingClientRect()}));
        texts.forEach((a, i) => texts.slice(i + 1).forEach(b =>
            overlap(a.r, b.r) && say(`overlaps "${b.e.textContent.trim()}" in a picture`, a.e)));
    }
    for (const row of document.querySelectorAll("tr")) {
        const texts = boxes.filter(({e}) => e.closest("tr") === row);
        texts.forEach((a, i) => texts.slice(i + 1).forEach(b =>
            a.e.closest("td, th") !== b.e.closest("td, th") && overlap(a.r, b.r) && say("overlaps its neighbour", a.e)));
    }
    const blocks = [...document.querySelectorAll("h1, h2, h3, p, li, figure, .scroll, summary, nav")]
        .map(e => ({e, r: e.getBoundingClientRect()})).filter(({r}) => visible(r));
    blocks.forEach((a, i) => blocks.slice(i + 1, i + 40).forEach(b =>
        !a.e.contains(b.e) && !b.e.contains(a.e) && overlap(a.r, b.r) && say("overlaps another block", a.e)));

    // Letters of pictures are no smaller than can be read; what scrolls can be reached by keyboard.
    for (const e of document.querySelectorAll("svg text"))
        if (e.getBoundingClientRect().height < 10 && e.textContent.trim()) say("too small to read", e);
    for (const e of document.querySelectorAll(".scroll"))
        if (e.tabIndex !== 0 || !e.getAttribute("aria-label")) say("cannot be reached or has no name", e);

    // Enough contrast between letters and what is behind: WCAG's 4.5.
    const light = colour => {
        const c = colour.match(/[\d.]+/g).slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    };
    const behind = e => {
        for (; e; e = e.parentElement) {
            const b = getComputedStyle(e).backgroundColor;
            if (!/, 0\)$|transparent/.test(b)) return b;
        }
        return "rgb(255, 255, 255)";
    };
    const judged = new Set();
    for (const {e} of boxes) {
        const style = getComputedStyle(e), ink = e.closest("svg") ? style.fill : style.color, paper = behind(e);
        if (judged.has(ink + paper)) continue;
        judged.add(ink + paper);
        const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
        if ((a + 0.05) / (b + 0.05) < 4.5) say(`contrast of ${ink} on ${paper} is too low`, e);
    }
    return wrong;
})()
