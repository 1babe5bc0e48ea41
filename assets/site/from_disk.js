/** A site's folder opened from a disk, where no module of it comes: the page's first bytes say so at once. */

if (location.protocol === "file:") document.documentElement.classList.add("from-disk");
